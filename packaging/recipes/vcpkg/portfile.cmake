# SPDX-License-Identifier: MIT
# Not run where it was written: see README.md.
vcpkg_download_distfile(ARCHIVE
  URLS "@URL@"
  FILENAME "attopotts-${VERSION}.tar.gz"
  SHA512 @SHA512@
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

set(HDF5_OPTION disabled)
if("hdf5" IN_LIST FEATURES)
  set(HDF5_OPTION enabled)
endif()

vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -Dtests=disabled
    -Dbench=disabled
    -Dcli=disabled
    -Dfortran=disabled
    -Dmpi=disabled
    -Dmsgpack=disabled
    -Dlinalg=disabled
    -Dhdf5=${HDF5_OPTION}
)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/attopotts)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
