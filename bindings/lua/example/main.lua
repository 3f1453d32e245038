-- A ball in LOVE, with even motion: 30 updates per second on any display. CC0: copy freely.
--
-- Above the ball is blended between two updates; below it is not. love FOLDER [SECONDS]
local evenstep = require 'evenstep.love'
love.evenstep = { tick_rate = 30 }

local x, previous, speed = 20, 20, 240

function love.update(dt)
    previous, x = x, x + speed * dt
    if x < 20 or x > 620 then
        speed = -speed
    end
end

function love.draw(alpha)
    love.graphics.setColor(1, 1, 1)
    love.graphics.circle('fill', evenstep.lerp(previous, x, alpha), 60, 20)
    love.graphics.setColor(0.43, 0.43, 0.43)
    love.graphics.circle('fill', x, 180, 20)
    if arg[2] and love.timer.getTime() > tonumber(arg[2]) then
        print(('problem: %s'):format(love.loop:problem() or 'none'))
        love.event.quit()
    end
end
