import type { DemoProduct } from './product.ts'

export const home: DemoProduct[] = [
  {
    title: 'Carthage bedside lamp',
    description:
      'A round ceramic foot, a linen shade, and a switch you can find in the dark. The light is warm enough to read by and soft enough to fall asleep in.',
    language: 'en',
    category: 'Lighting',
    sku: 'LAMP-CAR',
    price: 145,
    comparePrice: 169,
    quantity: 13,
    properties: [
      ['Socket', 'E14'],
      ['Height', '42 cm'],
      ['Cable', '1.8 m'],
    ],
  },
  {
    title: 'Suspension en alfa tressé',
    description:
      'L’alfa des hauts plateaux, tressé à Kasserine, laisse filtrer une lumière dorée. Livrée avec douille et câble textile, prête à poser.',
    language: 'fr',
    category: 'Lighting',
    sku: 'SUSP-ALFA',
    price: 98,
    quantity: 10,
    options: { Diamètre: ['40 cm', '60 cm'] },
    properties: [
      ['Matière', 'Alfa'],
      ['Douille', 'E27'],
    ],
  },
  {
    title: 'فانوس نحاسي',
    description:
      'فانوس من النحاس المطروق بزجاج ملون، يملأ الجدران بظلال من نور. يوضع فيه شمع أو مصباح صغير، ويعلق أو يوضع على الطاولة.',
    language: 'ar',
    category: 'Lighting',
    sku: 'FANOUS-N',
    price: 85,
    quantity: 15,
    properties: [
      ['الارتفاع', '35 صم'],
      ['المادة', 'نحاس وزجاج'],
    ],
  },
  {
    title: 'Garden lantern, small',
    description: 'For a step, a windowsill or the middle of the table. Takes one tea light, which is included.',
    language: 'en',
    sku: 'LANT-S',
    price: 32,
    quantity: 6,
    inactive: true,
    properties: [['Height', '18 cm']],
  },
  {
    title: 'Lampe d’atelier',
    description:
      'Un pied tourné, un abat-jour clair, une lumière franche pour travailler. En réassort : les commandes prises aujourd’hui partent sous trois semaines.',
    language: 'fr',
    category: 'Lighting',
    sku: 'LAMPE-AT',
    price: 129,
    quantity: 0,
    orderWhenOutOfStock: true,
    properties: [['Douille', 'E27']],
  },
  {
    title: 'Kilim cushion cover',
    description:
      'Woven on a hand loom in El Jem from wool dyed with madder and indigo. The back is plain cotton with a hidden zip; the filling is up to you.',
    language: 'en',
    category: 'Textiles',
    sku: 'CUSH-KLM',
    price: 46,
    comparePrice: 55,
    quantity: 24,
    options: { Colour: ['Madder', 'Indigo', 'Olive'], Size: ['40 x 40 cm', '50 x 50 cm'] },
    pictured: 'Colour',
    properties: [
      ['Material', 'Wool, cotton'],
      ['Care', 'Dry clean'],
    ],
  },
  {
    title: 'Tapis margoum de Kairouan',
    description:
      'Un margoum tissé serré, aux losanges francs, qui supporte les passages et les enfants. Laine lavée, teintures sans chrome, certificat de l’office de l’artisanat.',
    language: 'fr',
    category: 'Textiles',
    sku: 'MARGOUM',
    price: 320,
    comparePrice: 390,
    quantity: 4,
    options: { Taille: ['80 x 150 cm', '120 x 180 cm', '170 x 240 cm'], Couleur: ['Grenat', 'Bleu'] },
    pictured: 'Couleur',
    properties: [
      ['Matière', 'Laine'],
      ['Origine', 'Kairouan'],
    ],
  },
  {
    title: 'Fouta throw',
    description:
      'A beach towel in July and a blanket in January. Flat-woven cotton with hand-knotted fringes; it dries in an hour and folds to nothing.',
    language: 'en',
    category: 'Textiles',
    sku: 'FOUTA',
    price: 39,
    quantity: 55,
    options: { Colour: ['Sea', 'Mint', 'Rose', 'Sand'] },
    pictured: 'Colour',
    properties: [
      ['Material', 'Cotton'],
      ['Size', '100 x 200 cm'],
    ],
  },
  {
    title: 'زربية قيروانية',
    description:
      'زربية معقودة باليد بألوان القيروان الأصيلة، ستة أشهر من العمل في كل قطعة. نفدت حاليا، والقطعة القادمة على المنسج.',
    language: 'ar',
    category: 'Textiles',
    sku: 'ZARBIA-Q',
    price: 1250,
    quantity: 0,
    properties: [
      ['المقاس', '200 × 300 صم'],
      ['عدد العقد', '160000 في المتر المربع'],
    ],
  },
  {
    title: 'Jeté de lit en laine',
    description: 'Une laine bouillie épaisse pour les nuits de janvier. Article d’hiver, de retour en novembre.',
    language: 'fr',
    category: 'Textiles',
    sku: 'JETE-LAINE',
    price: 175,
    quantity: 8,
    inactive: true,
    properties: [['Dimensions', '180 x 220 cm']],
  },
  {
    title: 'Jasmine candle',
    description:
      'Soy wax, a cotton wick and the scent of a summer evening in La Marsa. Burns for about forty-five hours; the glass makes a fine tumbler afterwards.',
    language: 'en',
    category: 'ديكور المنزل',
    sku: 'CANDLE',
    price: 33.5,
    quantity: 70,
    options: { Scent: ['Jasmine', 'Orange blossom', 'Fig'] },
    properties: [
      ['Burning time', '45 h'],
      ['Wax', 'Soy'],
    ],
  },
  {
    title: 'Vase bouteille',
    description:
      'Un col étroit pour trois tiges, un ventre rond qui tient bien sur la table. Terre de Moknine, émail satiné.',
    language: 'fr',
    category: 'ديكور المنزل',
    sku: 'VASE-B',
    price: 54,
    quantity: 19,
    properties: [['Hauteur', '24 cm']],
  },
  {
    title: 'مرآة الشمس',
    description:
      'مرآة دائرية بإطار من أشعة الخشب المذهب، تضيء المدخل وتكبر المكان. تعلق بمسمار واحد وتأتي مع لوازم التركيب.',
    language: 'ar',
    category: 'ديكور المنزل',
    sku: 'MERAAT-SH',
    price: 160,
    comparePrice: 190,
    quantity: 9,
    properties: [
      ['القطر', '60 صم'],
      ['الإطار', 'خشب'],
    ],
  },
  {
    title: 'Halfa grass basket',
    description:
      'For bread, for laundry, for the market. Braided from halfa grass by a cooperative of women near Sbeitla, with a handle that does not cut into the hand.',
    language: 'en',
    category: 'ديكور المنزل',
    sku: 'BASKET-H',
    price: 41,
    quantity: 33,
    options: { Size: ['Bread', 'Market'] },
    properties: [
      ['Material', 'Halfa grass'],
      ['Made in', 'Sbeitla, Tunisia'],
    ],
  },
  {
    title: 'Silent wall clock',
    description:
      'A sweeping second hand instead of a tick. Made to order in our workshop, so it is never out of stock; allow a week.',
    language: 'en',
    category: 'ديكور المنزل',
    sku: 'CLOCK-S',
    price: 74,
    quantity: 0,
    untracked: true,
    properties: [
      ['Diameter', '30 cm'],
      ['Battery', '1 x AA'],
    ],
  },
]
