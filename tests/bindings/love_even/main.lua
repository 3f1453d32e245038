-- The same by Evenstep's.
local evenstep = require 'evenstep.love'
local x, previous, frames = 0, 0, 0
function love.update(dt) previous, x = x, x + 200 * dt end
function love.draw(alpha)
    print(('%.6f'):format(evenstep.lerp(previous, x, alpha)))
    io.stdout:flush()
    frames = frames + 1
    if frames == 600 then love.event.quit() end
end
