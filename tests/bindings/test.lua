-- The LuaJIT module: a small game in virtual time, a recording, errors.
local ffi = require 'ffi'
local evenstep = require 'evenstep'

local time = 0LL
local config = { tick_rate = 60, clock = ffi.new('es_clock', {
    now_ns = function() return time end,
    wait_until = function(_, deadline) time = deadline > time and deadline or time end }) }
local loop, track, keys = evenstep.loop(config), evenstep.track(), evenstep.input()
local shown, ns = {}, 0
track:set(0, 0)
jit.off(true, true) -- callbacks
for frame in loop:frames() do
    for step in frame:updates() do
        keys:tick(step)
        track:set(step, tonumber(step.index) / 12)
    end
    shown[#shown + 1], ns = track:at(frame), tonumber(frame.content_ns)
    loop:submit()
    time = (frame.index + 1) * 1000000000LL / 144 + frame.index % 3 * 1000000LL
    if frame.index == 600 then break end
end
assert(math.abs(shown[#shown] - ns / 2e8) < 1e-6, shown[#shown])
for i = 402, #shown do
    assert(math.abs(shown[i] - 2 * shown[i - 1] + shown[i - 2]) < 1e-6)
end
assert(loop:problem() == nil and loop:display().mode == evenstep.C.ES_DISPLAY_BLOCKS)
local sound = evenstep.follower()
sound:add(7000, 1000)
assert(sound:at(2000) == 8000 and sound:status().readings == 1)
loop:follow(sound)
local ok, message = pcall(loop.set_speed, loop, -1)
assert(not ok and message:match 'speed', message)
ok, message = pcall(evenstep.loop, { tick_rate = { 0, 5 } })
assert(not ok and message:match 'tick_rate', message)
loop:close()

ffi.cdef 'typedef struct test_world { double x; } test_world;'
local path, world, again, played = arg[1] .. '/lua.esrec', ffi.new 'test_world', ffi.new 'test_world', 0
local record = evenstep.record(path, world, { tick_rate = 60 })
for i = 1, 99 do
    local step = ffi.new('es_step', { index = i, time_ns = i * 1000000000LL / 60, dt_s = 1 / 60 })
    record:input(step, string.char(i))
    world.x = world.x + i
    record:state(step, world)
end
record:close()
local replay = evenstep.replay(path, again)
for _, bytes in replay:steps() do
    again.x, played = again.x + bytes:byte(), played + 1
    replay:check(again)
end
print(#shown .. ' frames, ' .. played .. ' ticks, ' .. (again.x == world.x and 'the same' or 'ANOTHER'))
