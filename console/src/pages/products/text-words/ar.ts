import type { TextWords } from './en.ts'

const ar: TextWords = {
  marks: 'التنسيق',
  bold: 'غامق (Ctrl+B)',
  bullets: 'قائمة',
  numbers: 'قائمة مرقمة',
  link: 'رابط',
  preview: 'معاينة',
  convert: 'تحويل HTML إلى تنسيق',
}
export default ar
