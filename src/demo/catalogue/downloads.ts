import type { DemoProduct } from './product.ts'

export const downloads: DemoProduct[] = [
  {
    title: 'Tunisian home cooking (e-book)',
    description:
      'Sixty recipes from brik to makroudh, written for a kitchen without a grandmother in it. A PDF that reads well on a phone propped against the flour.',
    language: 'en',
    category: 'Books & music',
    sku: 'EBOOK-TN',
    price: 18,
    comparePrice: 25,
    quantity: 0,
    untracked: true,
    downloads: ['pdf'],
    properties: [
      ['Format', 'PDF'],
      ['Language', 'English'],
    ],
  },
  {
    title: 'ألحان المالوف',
    description:
      'تسجيل هادئ لنوبات المالوف بالعود والرباب، للاستماع أثناء العشاء أو المطالعة. يُحمّل مباشرة بعد الشراء، مع كتيب للكلمات لمن أراد.',
    language: 'ar',
    category: 'Books & music',
    sku: 'MALOUF',
    price: 9.9,
    quantity: 0,
    untracked: true,
    options: { الصيغة: ['تسجيل صوتي', 'كتيب الكلمات'] },
    downloads: ['wav', 'pdf'],
    properties: [['المدة', '48 دقيقة']],
  },
  {
    title: 'Carnet de recettes du ramadan (PDF)',
    description:
      'Trente soupers, trente desserts et un calendrier de courses. À imprimer ou à garder sur la tablette de la cuisine.',
    language: 'fr',
    category: 'Books & music',
    sku: 'CARNET-RAM',
    price: 11.5,
    quantity: 0,
    untracked: true,
    downloads: ['pdf'],
    properties: [
      ['Format', 'PDF'],
      ['Pages', '64'],
    ],
  },
]
