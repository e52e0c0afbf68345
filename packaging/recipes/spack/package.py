# SPDX-License-Identifier: MIT
# Not run where it was written: see README.md.
from spack.package import *


class Attopotts(MesonPackage):
    """Potts models and factored attention: sampling, inverse problem, learning curves."""

    homepage = "https://arxiv.org/abs/2304.07235"
    url = "@URL@"

    license("MIT")

    version("@VERSION@", sha256="@SHA256@")

    variant("program", default=True, description="the program attopotts")
    variant("mpi", default=False, description="ranks of MPI")
    variant("hdf5", default=True, description="model and dataset files")
    variant("fortran", default=True, description="Fortran modules")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("meson@1.0.1:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("highway@1:")
    depends_on("blis")
    depends_on("lapack")
    depends_on("zlib-api")
    depends_on("hdf5", when="+hdf5")
    depends_on("mpi", when="+mpi")
    depends_on("cli11", when="+program")
    depends_on("fmt@9:", when="+program")
    depends_on("tomlplusplus", when="+program")

    def meson_args(self):
        def feature(option, variant):
            return f"-D{option}={'enabled' if self.spec.satisfies('+' + variant) else 'disabled'}"

        return [
            "-Dtests=disabled",
            "-Dbench=disabled",
            "-Dmsgpack=disabled",
            "-Dstructures=disabled",
            feature("cli", "program"),
            feature("mpi", "mpi"),
            feature("hdf5", "hdf5"),
            feature("fortran", "fortran"),
        ]
