-- A ball at 200 pixels per second by LOVE's own loop; prints where each frame draws it.
local x, frames = 0, 0
function love.update(dt) x = x + 200 * dt end
function love.draw()
    print(('%.6f'):format(x))
    io.stdout:flush()
    frames = frames + 1
    if frames == 600 then love.event.quit() end
end
