/** Splits at semicolons outside strings, dollar quotes, quoted names and comments. Comments are left out. */
export const splitStatements = (text: string): string[] => {
  const parts = text.matchAll(
    /--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|'(?:[^']|'')*'|"(?:[^"]|"")*"|;|[^-/$'";]+|[-/$]/g,
  )
  const statements = ['']
  for (const [part] of parts) {
    if (part === ';') statements.push('')
    else if (!/^(--|\/\*)/.test(part)) statements[statements.length - 1] += part
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
