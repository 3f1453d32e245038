-- LOVE with even motion: put `require 'evenstep.love'` at the top of main.lua. love.update gets a fixed dt, and
-- love.draw(alpha) draws between the last two updates: evenstep.lerp(previous, current, alpha).
--
-- love.evenstep, if it is there, is a table with fields of es_loop_config, such as { tick_rate = 60 }. love.loop is the
-- loop, love.loop.frame the frame, and love.loop.step the step of the update that runs.
local evenstep = require 'evenstep'

function love.run()
    if love.load then
        love.load(love.arg.parseGameArguments(arg), arg)
    end
    local loop = evenstep.loop(love.evenstep)
    love.loop = loop
    return function()
        local frame = loop:next()
        loop.frame = frame
        if love.timer then
            love.timer.step() -- for getFPS and getDelta
        end
        love.event.pump()
        for name, a, b, c, d, e, f in love.event.poll() do
            if name == 'quit' and (not love.quit or not love.quit()) then
                return a or 0
            elseif name == 'visible' then
                loop:set_visible(a)
            end
            love.handlers[name](a, b, c, d, e, f)
        end
        for step in frame:updates() do
            loop.step = step
            if love.update then
                love.update(step.dt_s)
            end
        end
        if love.graphics and love.graphics.isActive() and frame.visible then
            love.graphics.origin()
            love.graphics.clear(love.graphics.getBackgroundColor())
            if love.draw then
                love.draw(frame.alpha)
            end
            love.graphics.flushBatch()
            loop:submit()
            love.graphics.present()
        end
    end
end

return evenstep
