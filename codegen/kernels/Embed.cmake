# cmake -DOUT=file.cpp -DROOT=folder -DHEADERS=a.h|b.h -DGRIDS=IqGrids.cpp -P Embed.cmake: the texts of the headers as a C++
# table; GRIDS, the host's tables of the IQ formats, becomes formats/iq_grids.h.
string(REPLACE "|" ";" HEADERS "${HEADERS}")
set(rows "")
foreach(header ${HEADERS})
  file(READ ${ROOT}/${header} text)
  string(APPEND rows "    {\"${header}\", R\"header(${text})header\"sv},\n")
endforeach()
file(READ ${GRIDS} grids)
string(REGEX REPLACE "#include [^\n]*" "#pragma once\n\n#include \"wave.h\"" grids "${grids}")
string(REPLACE "const uint16_t" "DS4_CONSTANT U16" grids "${grids}")
string(APPEND rows "    {\"formats/iq_grids.h\", R\"header(${grids})header\"sv},\n")
file(WRITE ${OUT} "#include \"codegen/emitters/Emitters.h\"\n\nnamespace ds4 {\n\nusing namespace std::literals; // a length that is counted at compile time is too many steps\n\nstatic constexpr HeaderText kHeaders[] = {\n${rows}};\n\nstd::span<const HeaderText> kernelHeaders() { return kHeaders; }\n\n} // namespace ds4\n")
