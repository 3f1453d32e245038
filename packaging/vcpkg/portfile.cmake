# Not run. URL and HASH (SHA512) are those of the archive of `make dist`.
vcpkg_download_distfile(ARCHIVE URLS "URL" FILENAME "evenstep-${VERSION}.tar.gz" SHA512 HASH)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DEVENSTEP_LIBRARY_ONLY=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/evenstep)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
