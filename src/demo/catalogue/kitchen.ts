import type { DemoProduct } from './product.ts'

export const kitchen: DemoProduct[] = [
  {
    title: 'Clay tagine',
    description:
      'Unglazed on the inside, so that the clay can breathe and the stew can simmer. Soak it overnight before the first use, and keep the flame low: it rewards patience.',
    language: 'en',
    category: 'Cookware',
    sku: 'TAGINE',
    price: 79,
    comparePrice: 95,
    quantity: 18,
    options: { Size: ['24 cm', '30 cm'] },
    properties: [
      ['Material', 'Clay'],
      ['Hob', 'Gas, oven'],
    ],
  },
  {
    title: 'طاجين فخاري مزخرف',
    description:
      'طاجين من الفخار المطلي لطبخ اللحم والخضر على نار هادئة ثم تقديمه كما هو على المائدة. غطاؤه المخروطي يعيد البخار إلى الطعام فيبقى طريا.',
    language: 'ar',
    category: 'Cookware',
    sku: 'TAJIN-Z',
    price: 96,
    quantity: 11,
    properties: [
      ['القطر', '27 صم'],
      ['المادة', 'فخار مطلي'],
    ],
  },
  {
    title: 'Cocotte en fonte 24 cm',
    description:
      'Une cocotte qui passe du feu au four et du four à la table. Le couvercle lourd retient la vapeur ; l’émail se nettoie sans frotter. Tous feux, induction comprise.',
    language: 'fr',
    category: 'Cookware',
    sku: 'COCOTTE-24',
    price: 289,
    comparePrice: 340,
    quantity: 7,
    options: { Couleur: ['Olive', 'Cerise', 'Bleu'] },
    pictured: 'Couleur',
    properties: [
      ['Contenance', '4,2 l'],
      ['Feux', 'Tous, induction comprise'],
    ],
  },
  {
    title: 'Cast-iron frying pan',
    description:
      'Seasoned with olive oil and ready to use. It takes a little longer to heat, holds it for ever, and will outlive everyone who argues about how to wash it.',
    language: 'en',
    category: 'Cookware',
    sku: 'PAN-26',
    price: 134,
    quantity: 16,
    properties: [
      ['Diameter', '26 cm'],
      ['Weight', '2.1 kg'],
    ],
  },
  {
    title: 'Olive wood chopping board',
    description:
      'Cut from one piece of an old tree that no longer bears fruit, sanded and oiled. The grain is different on every board; yours will be a surprise.',
    language: 'en',
    category: 'Cookware',
    sku: 'BOARD-OLV',
    price: 52,
    quantity: 25,
    options: { Size: ['Small', 'Medium', 'Large'] },
    properties: [
      ['Wood', 'Olive'],
      ['Made in', 'Sfax, Tunisia'],
    ],
  },
  {
    title: 'Cuillères en bois d’olivier, lot de 3',
    description:
      'Une pour goûter, une pour remuer, une pour servir. Bois d’olivier massif, doux pour les poêles et agréable en main.',
    language: 'fr',
    category: 'Cookware',
    sku: 'CUIL-3',
    price: 27,
    comparePrice: 31.5,
    quantity: 40,
    properties: [
      ['Bois', 'Olivier'],
      ['Longueur', '30 cm'],
    ],
  },
  {
    title: 'كسكاس ألمنيوم كبير',
    description: 'كسكاس بطابقين لطهي الكسكسي لعشرة أشخاص. موقوف عن البيع إلى حين وصول الطراز الجديد.',
    language: 'ar',
    category: 'Cookware',
    sku: 'KISKAS-10',
    price: 110,
    quantity: 5,
    inactive: true,
    properties: [['السعة', '12 ل']],
  },
  {
    title: 'Washed linen apron',
    description:
      'Heavy linen that softens with every wash, one deep pocket and ties long enough to go round twice. For cooks who wipe their hands on their apron and mean it.',
    language: 'en',
    category: 'Textiles',
    sku: 'APRON-LIN',
    price: 68,
    quantity: 28,
    options: { Colour: ['Rose', 'Night', 'Sand'] },
    pictured: 'Colour',
    properties: [
      ['Material', '100 % linen'],
      ['Care', '40 °C'],
    ],
  },
  {
    title: 'Huile d’olive extra vierge',
    description:
      'Chetoui de la vallée de Testour, cueillie en octobre et pressée à froid le jour même. Fruité vert, ardence nette, acidité sous 0,3 %.',
    language: 'fr',
    category: 'Épicerie fine',
    sku: 'HUILE',
    price: 28,
    quantity: 90,
    options: { Contenance: ['50 cl', '1 l', '3 l'] },
    properties: [
      ['Variété', 'Chetoui'],
      ['Récolte', 'Octobre 2025'],
      ['Acidité', '0,28 %'],
    ],
  },
  {
    title: 'هريسة عربي تقليدية',
    description:
      'هريسة من الفلفل الأحمر المجفف تحت الشمس مع الثوم والكروية وزيت الزيتون، مطحونة بالمهراس على الطريقة القديمة. حارة بالقدر الذي يجب.',
    language: 'ar',
    category: 'Épicerie fine',
    sku: 'HRISSA',
    price: 12.8,
    quantity: 120,
    properties: [
      ['الوزن الصافي', '350 غ'],
      ['المصدر', 'القيروان'],
    ],
  },
]
