# Writes OUTPUT, a C file with the texts of FILES, paths below ROOT, as embedded_sources
# (kernels/cuda/host/toolkit.h): under the path, and under the bare name, by which headers of one
# folder include each other.
#   cmake -DROOT=. "-DFILES=models/math/exact.h kernels/cuda/device/normals.cuh" \
#         -DOUTPUT=sources.c -P embed.cmake
separate_arguments(FILES)
set(arrays)
set(rows)
set(number 0)
foreach(file ${FILES})
  file(READ ${ROOT}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}00")
  string(APPEND arrays "static const char source_${number}[] = {${bytes}};\n")
  get_filename_component(name ${file} NAME)
  string(APPEND rows "    {\"${file}\", source_${number}}, {\"${name}\", source_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(SHA256 hash "${arrays}")
file(WRITE ${OUTPUT} "#include \"kernels/cuda/host/toolkit.h\"\n\n${arrays}\n\
const struct embedded_source embedded_sources[] = {\n${rows}    {0, 0}};\n\
const char embedded_hash[] = \"${hash}\";\n")
