# Not run. Conan 2: conan create packaging/conan
from os.path import join
from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get


class Evenstep(ConanFile):
    name = "evenstep"
    version = "0.3.0"
    license = "Zlib"
    description = "Smooth motion for games"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    languages = "C"

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, "URL", sha256="HASH", strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["EVENSTEP_LIBRARY_ONLY"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_target_name", "evenstep::evenstep")
        self.cpp_info.libs = ["evenstep"]
        if self.options.shared:
            self.cpp_info.defines = ["ES_SHARED"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "pthread"]
