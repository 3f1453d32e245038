-- For LuaJIT. The C files are those of scripts/amalgamate, in c/ beside the rockspec.
rockspec_format = '3.0'
package = 'evenstep'
version = '0.3.0-1'
source = { url = 'file://evenstep-0.3.0.tar.gz', dir = 'evenstep-0.3.0' }
description = { summary = 'Smooth motion for games', license = 'Zlib' }
build = {
    type = 'command',
    build_command = 'cc -O2 -shared -fPIC -fvisibility=hidden -DES_SHARED -DES_BUILDING c/*.c -o libevenstep.so -lm',
    install = {
        lua = {
            ['evenstep'] = 'evenstep/init.lua',
            ['evenstep.c'] = 'evenstep/c.lua',
            ['evenstep.love'] = 'evenstep/love.lua',
        },
        lib = { 'libevenstep.so' },
    },
}
