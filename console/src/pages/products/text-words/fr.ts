import type { TextWords } from './en.ts'

const fr: TextWords = {
  marks: 'Mise en forme',
  bold: 'Gras (Ctrl+B)',
  bullets: 'Liste',
  numbers: 'Liste numérotée',
  link: 'Lien',
  preview: 'Aperçu',
  convert: 'Remplacer le HTML par une mise en forme',
}
export default fr
