# cmake -DOUT=file.cpp -DROOT=folder -DHEADERS=a.h|b.h -P Embed.cmake: the texts of the headers as a C++ table.
string(REPLACE "|" ";" HEADERS "${HEADERS}")
set(rows "")
foreach(header ${HEADERS})
  file(READ ${ROOT}/${header} text)
  string(APPEND rows "    {\"${header}\", R\"header(${text})header\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"codegen/emitters/Emitters.h\"\n\nnamespace ds4 {\n\nstatic constexpr HeaderText kHeaders[] = {\n${rows}};\n\nstd::span<const HeaderText> kernelHeaders() { return kHeaders; }\n\n} // namespace ds4\n")
