-- evenstep/ and libevenstep are in this folder or beside it
package.path = package.path .. ';' .. (love.filesystem.getSource() .. '/../?.lua;') .. (love.filesystem.getSource() .. '/../?/init.lua')

function love.conf(t)
    t.window.width, t.window.height = 640, 240
end
