import type { DemoProduct } from './product.ts'

export const coffeeAndTable: DemoProduct[] = [
  {
    title: 'Sidi Bou Said coffee mug',
    description:
      'A generous stoneware mug, thrown by hand and glazed in the colours of the village above the bay. The band of triangles is painted with a single brush, so no two mugs are quite the same. Dishwasher and microwave safe.',
    language: 'en',
    category: 'Café & thé',
    sku: 'MUG-SBS',
    price: 24.9,
    comparePrice: 29.9,
    quantity: 48,
    options: { Colour: ['Sea blue', 'Terracotta', 'Olive'], Size: ['250 ml', '350 ml'] },
    pictured: 'Colour',
    properties: [
      ['Material', 'Stoneware'],
      ['Care', 'Dishwasher safe'],
      ['Made in', 'Nabeul, Tunisia'],
    ],
  },
  {
    title: 'Moka coffee pot',
    description:
      'The stove-top classic in brushed aluminium with a handle that stays cool. Fill, screw shut, and three minutes later the kitchen smells of Sunday. Works on gas and electric hobs.',
    language: 'en',
    category: 'Café & thé',
    sku: 'MOKA',
    price: 62,
    quantity: 20,
    options: { Size: ['3 cups', '6 cups', '9 cups'] },
    properties: [
      ['Material', 'Aluminium'],
      ['Hob', 'Gas, electric'],
    ],
  },
  {
    title: 'Moulin à café en bois de hêtre',
    description:
      'Un moulin manuel à l’ancienne : la mouture se règle du turc à la cafetière à piston, et le petit tiroir recueille jusqu’à 40 g de café. Mécanisme en acier trempé, garanti cinq ans.',
    language: 'fr',
    category: 'Café & thé',
    sku: 'MOULIN-01',
    price: 89.5,
    comparePrice: 105,
    quantity: 14,
    properties: [
      ['Matière', 'Hêtre et acier'],
      ['Contenance', '40 g'],
    ],
  },
  {
    title: 'Théière en fonte émaillée',
    description:
      'Elle garde le thé à la menthe chaud pendant deux heures. L’intérieur émaillé ne prend pas le goût ; le filtre en inox se retire d’un geste.',
    language: 'fr',
    category: 'Café & thé',
    sku: 'THEIERE',
    price: 118,
    quantity: 12,
    options: { Couleur: ['Menthe', 'Rose', 'Nuit'] },
    pictured: 'Couleur',
    properties: [
      ['Matière', 'Fonte émaillée'],
      ['Contenance', '0,9 l'],
    ],
  },
  {
    title: 'كؤوس شاي بالنعناع',
    description:
      'كؤوس زجاجية مزخرفة باليد لتقديم الشاي بالنعناع والصنوبر كما في مقاهي المدينة العتيقة. الزجاج سميك يحفظ الحرارة، والنقوش مذهبة لا تزول بالغسل.',
    language: 'ar',
    category: 'Café & thé',
    sku: 'KAS-SHAY',
    price: 36,
    comparePrice: 42,
    quantity: 30,
    options: { العدد: ['4 كؤوس', '6 كؤوس'] },
    properties: [
      ['المادة', 'زجاج'],
      ['السعة', '12 صل'],
    ],
  },
  {
    title: 'Tasse à café « Médina »',
    description:
      'Une petite tasse pour un café serré, peinte au trait bleu sur émail blanc. Se vend à l’unité, se collectionne par six.',
    language: 'fr',
    category: 'Café & thé',
    sku: 'TASSE-MED',
    price: 14.5,
    quantity: 64,
    properties: [['Contenance', '9 cl']],
  },
  {
    title: 'Hand-painted Nabeul plate',
    description:
      'Twelve petals, two colours and a very steady hand: the pattern every potter in Nabeul learns first. For serving, for hanging, or for both by turns. Lead-free glaze.',
    language: 'en',
    category: 'Tableware',
    sku: 'PLATE-NAB',
    price: 34,
    comparePrice: 40,
    quantity: 22,
    options: { Colour: ['Blue', 'Clay'], Diameter: ['20 cm', '26 cm', '32 cm'], Finish: ['Glossy', 'Matt'] },
    pictured: 'Colour',
    properties: [
      ['Material', 'Earthenware'],
      ['Glaze', 'Lead-free'],
      ['Made in', 'Nabeul, Tunisia'],
    ],
  },
  {
    title: 'Grande assiette à couscous',
    description:
      'Une assiette creuse de 38 cm pour poser le couscous du dimanche au milieu de la table. Terre cuite vernissée, motif floral peint à la main.',
    language: 'fr',
    category: 'Tableware',
    sku: 'ASS-COUSC',
    price: 72,
    quantity: 9,
    properties: [
      ['Diamètre', '38 cm'],
      ['Matière', 'Terre cuite vernissée'],
    ],
  },
  {
    title: 'Everyday stoneware bowl',
    description:
      'Soup, cereal, salad, olives: the bowl that never makes it back to the cupboard. Stacks neatly, chips rarely, and warms evenly in the microwave.',
    language: 'en',
    category: 'Tableware',
    sku: 'BOWL-EVD',
    price: 19.9,
    quantity: 60,
    options: { Colour: ['Olive', 'Sand', 'Blue'] },
    pictured: 'Colour',
    properties: [
      ['Material', 'Stoneware'],
      ['Diameter', '16 cm'],
    ],
  },
  {
    title: 'صحن فخار من نابل',
    description:
      'صحن فخاري تقليدي مرسوم باليد بألوان التراب والفيروز. يصلح للتقديم وللزينة على الجدار، وكل قطعة تختلف قليلا عن أختها.',
    language: 'ar',
    category: 'Tableware',
    sku: 'SAHN-NBL',
    price: 38.5,
    quantity: 17,
    properties: [
      ['القطر', '28 صم'],
      ['المادة', 'فخار'],
    ],
  },
  {
    title: 'Saladier en grès',
    description:
      'Un saladier large et profond, tourné à Sejnane et cuit au bois. Victime de son succès : la prochaine cuisson est prévue au printemps.',
    language: 'fr',
    category: 'Tableware',
    sku: 'SALADIER',
    price: 58,
    quantity: 0,
    properties: [['Diamètre', '30 cm']],
  },
  {
    title: 'طقم أوعية للمقبلات',
    description:
      'ثلاثة أوعية صغيرة للزيتون والهريسة والسلطة المشوية، بألوان متناسقة. تتراص بعضها فوق بعض ولا تأخذ مكانا في الخزانة.',
    language: 'ar',
    category: 'Tableware',
    sku: 'AWANI-3',
    price: 45,
    quantity: 26,
    properties: [['عدد القطع', '3']],
  },
]
