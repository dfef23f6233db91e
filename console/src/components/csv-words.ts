import { pageWords } from '../messages/page-words.ts'

const en = {
  spreadsheet: 'This is a file of a spreadsheet program. Save it there as CSV, then choose that.',
  unclosed: (row: string) =>
    `A quote that is opened in row ${row} is never closed: everything below it would stand in one cell.`,
}

const fr: typeof en = {
  spreadsheet: 'C’est un fichier de tableur. Enregistrez-le d’abord au format CSV.',
  unclosed: (row) =>
    `Un guillemet ouvert à la ligne ${row} n’est jamais fermé : tout ce qui suit serait dans une seule cellule.`,
}

const ar: typeof en = {
  spreadsheet: 'هذا ملف لبرنامج جداول. احفظه هناك بصيغة CSV ثم اختره.',
  unclosed: (row) => `علامة اقتباس فُتحت في السطر ${row} ولم تُغلق: كل ما بعدها سيكون في خانة واحدة.`,
}

export const useCsvWords = pageWords({ en, fr, ar })
