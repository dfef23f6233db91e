const en = {
  marks: 'Marks',
  bold: 'Bold (Ctrl+B)',
  bullets: 'List',
  numbers: 'Numbered list',
  link: 'Link',
  preview: 'Preview',
  convert: 'Turn HTML into marks',
}
export type TextWords = typeof en
export default en
