# SPDX-License-Identifier: MIT
# Not run where it was written: see README.md.
class Attopotts < Formula
  desc "Potts models and factored attention: sampling, inverse problem, learning curves"
  homepage "https://arxiv.org/abs/2304.07235"
  url "@URL@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "cli11" => :build
  depends_on "gemmi" => :build
  depends_on "highway" => :build
  depends_on "meson" => :build
  depends_on "msgpack-cxx" => :build
  depends_on "ninja" => :build
  depends_on "pegtl" => :build
  depends_on "pkgconf" => :build
  depends_on "tomlplusplus" => :build
  depends_on "blis"
  depends_on "fmt"
  depends_on "gcc" # for gfortran
  depends_on "hdf5"
  depends_on "lapack"

  uses_from_macos "zlib"

  def install
    system "meson", "setup", "build", "-Dtests=disabled", "-Dbench=disabled", "-Dcli=enabled", "-Dfortran=enabled",
           "-Dmpi=disabled", "-Dhdf5=enabled", *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    (testpath/"test.c").write <<~C
      #include <attopotts/attopotts.h>
      int main(void) { return atp_abi_version() == ATP_ABI_VERSION ? 0 : 1; }
    C
    system ENV.cc, "test.c", "-I#{include}", "-L#{lib}", "-lattopotts", "-o", "test"
    system "./test"
    system bin/"attopotts", "check"
  end
end
