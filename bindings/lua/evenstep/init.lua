-- Evenstep: smooth motion for games, for LuaJIT and LOVE.
--
--   local evenstep = require 'evenstep'
--   local loop = evenstep.loop { tick_rate = 60 }
--   for frame in loop:frames() do
--       for step in frame:updates() do
--           previous, current = current, update(current, step.dt_s)
--       end
--       draw(evenstep.lerp(previous.x, current.x, frame.alpha))
--       loop:submit()
--       present()
--   end
--
-- Names are those of the C headers without es_; configurations are tables; failures are errors with the text of
-- es_get_error. What is not here is called by its C name: evenstep.C.es_slices_create.
local ffi = require 'ffi'
local c = require 'evenstep.c'

-- As EVENSTEP_LIBRARY says, beside this file (in LOVE: in the game's folder), as LuaRocks installs it, or the system's.
local function load()
    local folder = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or ''
    local name = ffi.os == 'Windows' and 'evenstep.dll' or ffi.os == 'OSX' and 'libevenstep.dylib' or 'libevenstep.so'
    local rock = package.searchpath and package.searchpath('libevenstep', package.cpath)
    local game = love and love.filesystem and love.filesystem.getSource() .. '/' .. folder .. name
    local tried = {}
    for _, path in ipairs { os.getenv 'EVENSTEP_LIBRARY' or false, folder .. name, game or false, rock or false, 'evenstep' } do
        local ok, library = pcall(ffi.load, path or '/')
        if ok then
            return library
        end
        tried[#tried + 1] = path and ('\n  %s'):format(library) or ''
    end
    error('libevenstep was not found; EVENSTEP_LIBRARY may name it. Tried:' .. table.concat(tried))
end

local C = load()
local evenstep = { C = C, functions = c.functions }

local function fail(level)
    error(ffi.string(C.es_get_error()), level or 3)
end

local function check(result)
    if result == false or result == nil then
        fail(4)
    end
    return result
end

local function rate(value)
    if type(value) ~= 'number' then
        return type(value) == 'table' and ffi.new('es_rate', value) or value
    end
    local made = C.es_hz(value)
    return made.numerator > 0 and made or error('tick_rate: ' .. value .. ' is not a rate', 4)
end

-- A structure from a table.
local function fill(kind, values)
    local made = ffi.new(kind)
    for name, value in pairs(values or {}) do
        made[name] = (name == 'tick_rate' or name == 'refresh') and rate(value) or value
    end
    return made
end

-- An object that closes itself, at the latest with the garbage.
local function class(destroy)
    local methods = {}
    methods.__index = methods
    function methods:close()
        if self.handle ~= nil then
            C[destroy](ffi.gc(self.handle, nil))
            self.handle = nil
        end
    end
    local function make(handle)
        return setmetatable({ handle = ffi.gc(check(handle), C[destroy]) }, methods)
    end
    return methods, make
end

-- --- numbers ----------------------------------------------------------------------------------------

function evenstep.now_ns() return C.es_now_ns() end
function evenstep.wait_until(deadline_ns) C.es_wait_until(deadline_ns) end
function evenstep.hz(value) return C.es_hz(value) end
function evenstep.lerp(a, b, t) return C.es_lerp(a, b, t) end
function evenstep.lerp_angle(a, b, t) return C.es_lerp_angle(a, b, t) end

-- --- the loop -----------------------------------------------------------------------------------------

local frame_methods = {}

-- The ticks to run now: index, time_ns, dt_s, due_ns.
function frame_methods.updates(frame)
    local i = -1
    return function()
        i = i + 1
        return i < frame.ticks and C.es_frame_step(frame, i) or nil
    end
end

function frame_methods.step(frame, i) return C.es_frame_step(frame, i) end

local new_frame = ffi.metatype('es_frame', { __index = frame_methods })
local loop, make_loop = class 'es_loop_destroy'

-- config: fields of es_loop_config; preset: the name of one.
function evenstep.loop(config, preset)
    local settings = fill('es_loop_config', config)
    if preset then
        check(C.es_loop_preset(preset, settings))
        for name, value in pairs(config or {}) do
            settings[name] = (name == 'tick_rate' or name == 'refresh') and rate(value) or value
        end
    end
    return make_loop(C.es_loop_create(settings))
end

-- Ends the last frame, waits if it must, and plans the next.
function loop:next(frame)
    frame = frame or new_frame()
    check(C.es_loop_next(self.handle, frame))
    return frame
end

-- Frames, until break. The frame is the same object each time.
function loop:frames()
    local frame = new_frame()
    return function()
        return self:next(frame)
    end
end

function loop:next_at(host_ns, expected_present_ns)
    local frame = new_frame()
    check(C.es_loop_next_at(self.handle, host_ns, expected_present_ns or -1, frame))
    return frame
end

function loop:submit() check(C.es_loop_submit(self.handle)) end
function loop:wait(frame) check(C.es_loop_wait(self.handle, frame)) end
function loop:finish() check(C.es_loop_end(self.handle)) end
function loop:follow(follower, offset_ns)
    check(C.es_loop_follow(self.handle, follower and follower.handle, offset_ns or 0))
end
function loop:set_paused(paused) C.es_loop_set_paused(self.handle, paused) end
function loop:tick_once() check(C.es_loop_tick_once(self.handle)) end
function loop:set_speed(speed) check(C.es_loop_set_speed(self.handle, speed)) end
function loop:set_visible(visible) C.es_loop_set_visible(self.handle, visible) end
function loop:resync() check(C.es_loop_resync(self.handle)) end
function loop:idle() check(C.es_loop_idle(self.handle)) end
function loop:seek(tick) check(C.es_loop_seek(self.handle, tick)) end
function loop:display() return C.es_loop_get_display(self.handle) end
function loop:config() return C.es_loop_get_config(self.handle) end
function loop:configure(config)
    local settings = C.es_loop_get_config(self.handle)
    for name, value in pairs(config) do
        settings[name] = (name == 'tick_rate' or name == 'refresh') and rate(value) or value
    end
    check(C.es_loop_configure(self.handle, settings))
end
-- A line for a window's title.
function loop:status()
    return ffi.string(C.es_loop_status(self.handle, ffi.new 'char[160]', 160))
end
-- What is wrong with the program or its display; or nil.
function loop:problem()
    local text = C.es_loop_problem(self.handle)
    return text ~= nil and ffi.string(text) or nil
end

-- --- objects ------------------------------------------------------------------------------------------

local track = {}

-- A tick: a step, or its index.
local function index(tick)
    return ffi.istype('es_step', tick) and tick.index or tick
end

function track:set(tick, x, y, angle) C.es_track2_set(self, index(tick), { x, y or 0, angle or 0 }) end
-- It jumped: no frame shows it on the way.
function track:move(tick, x, y, angle) C.es_track2_snap(self, index(tick), { x, y or 0, angle or 0 }) end
function track:at(frame)
    local pose = C.es_track2_at(self, frame)
    return pose.x, pose.y, pose.angle
end

-- An object in the plane, which remembers its tick. snap: a longer way within a tick is a teleport.
local new_track = ffi.metatype('es_track2', { __index = track })
function evenstep.track(snap) return new_track(snap or 0) end

-- --- input --------------------------------------------------------------------------------------------

local input, make_input = class 'es_input_destroy'

function evenstep.input(config) return make_input(C.es_input_create(fill('es_input_config', config))) end
function input:button(code, down, stamp_ns)
    check(C.es_input_button(self.handle, code, down, stamp_ns or C.es_now_ns()))
end
function input:motion(axis, by, stamp_ns) check(C.es_input_move(self.handle, axis, by, stamp_ns or C.es_now_ns())) end
function input:tick(step) return C.es_input_tick(self.handle, step) end
function input:pressed(code) return C.es_input_pressed(self.handle, code) end
function input:released(code) return C.es_input_released(self.handle, code) end
function input:held(code) return C.es_input_held(self.handle, code) end
function input:value(axis) return C.es_input_value(self.handle, axis) end
function input:moved(axis) return C.es_input_moved(self.handle, axis) end
function input:peek(axis) return C.es_input_peek(self.handle, axis) end
function input:at(axis, instant_ns, ahead_ns) return C.es_input_at(self.handle, axis, instant_ns, ahead_ns or 0) end
function input:view_ns(frame) return C.es_input_view_ns(self.handle, frame) end

-- --- replay: the state is a C structure without a layout ----------------------------------------------

local record, make_record = class 'es_record_destroy'

function evenstep.record(path, state, config)
    local settings = fill('es_record_config', config)
    settings.state_size = ffi.sizeof(state)
    return make_record(C.es_record_create(path, settings, state))
end
function record:input(step, bytes) check(C.es_record_input(self.handle, step, bytes or '', #(bytes or ''))) end
function record:state(step, state) check(C.es_record_state(self.handle, step, state)) end

local replay, make_replay = class 'es_replay_close'

function evenstep.replay(path, state)
    return make_replay(C.es_replay_open(path, fill('es_record_config', { state_size = ffi.sizeof(state) }), state))
end
-- for step, bytes in replay:steps() do
function replay:steps()
    local step, bytes, size = ffi.new 'es_step', ffi.new 'const void *[1]', ffi.new 'size_t[1]'
    return function()
        if C.es_replay_next(self.handle, step, bytes, size) then
            return step, size[0] > 0 and ffi.string(bytes[0], size[0]) or ''
        end
    end
end
function replay:check(state) check(C.es_replay_check(self.handle, state)) end

-- --- another clock ------------------------------------------------------------------------------------

local follower, make_follower = class 'es_follower_destroy'

function evenstep.follower(config) return make_follower(C.es_follower_create(fill('es_follower_config', config))) end
function follower:add(other_ns, read_ns) return C.es_follower_add(self.handle, other_ns, read_ns or C.es_now_ns()) end
function follower:reset() C.es_follower_reset(self.handle) end
function follower:at(instant_ns)
    local other = ffi.new 'int64_t[1]'
    check(C.es_follower_at(self.handle, instant_ns or C.es_now_ns(), other))
    return other[0]
end
function follower:status() return C.es_follower_get_status(self.handle) end

return evenstep
