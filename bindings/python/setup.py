"""Compiles Evenstep's C files (c/, from scripts/amalgamate) into the package. CC: the compiler."""
import glob
import os
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

NAMES = {"win32": "evenstep.dll", "darwin": "libevenstep.dylib"}


class Build(build_py):
    def run(self):
        super().run()
        sources = sorted(glob.glob(os.path.join("c", "*.c")))
        if not sources:
            sys.exit("setup.py: no C files in c/: run scripts/packages, or scripts/amalgamate into it")
        folder = os.path.join(self.build_lib, "evenstep")
        os.makedirs(folder, exist_ok=True)
        target = os.path.join(folder, NAMES.get(sys.platform, "libevenstep.so"))
        subprocess.check_call([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-DES_SHARED",
                               "-DES_BUILDING", *sources, "-o", target, "-lm"])


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """For any Python 3: ctypes loads the library."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(name="evenstep", version="0.3.0", description="Smooth motion for games: when to update, when to draw, and what",
      license="Zlib", packages=["evenstep"], python_requires=">=3.8", distclass=Binary, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
