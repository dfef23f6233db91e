import { slugify } from '../core/input/normalize-text.ts'
import { SeededRandom } from './random.ts'

/** A name as it is written, and in Latin letters for the email. */
type Name = readonly [written: string, latin: string]

const latin = (names: string): Name[] => names.split(' ').map((name) => [name, name])
const arabic = (pairs: string): Name[] =>
  pairs.split(' ').map((pair) => {
    const [written = '', latin = ''] = pair.split('/')
    return [written.replaceAll('_', ' '), latin]
  })

interface Place {
  city: string
  state: string
  postal: string
}

const places = (text: string): Place[] =>
  text.split('|').map((place) => {
    const [city = '', state = '', postal = ''] = place.split(',')
    return { city, state, postal }
  })

interface People {
  first: Name[]
  last: Name[]
  countries: Record<string, { places: Place[]; streets: string[]; phone: (random: SeededRandom) => string }>
}

const pairs = (random: SeededRandom, count: number) => Array.from({ length: count }, () => random.digits(2)).join(' ')

const streetsTunis = [
  'Rue de la Kasbah',
  'Avenue Habib Bourguiba',
  'Rue de Marseille',
  'Avenue de la Liberté',
  'Rue Ibn Khaldoun',
  'Impasse des Orangers',
  'Rue du Lac Léman',
  'Avenue Taïeb Mhiri',
]

const tunisia = {
  places: places(
    'Tunis,Tunis,1001|La Marsa,Tunis,2070|Sidi Bou Saïd,Tunis,2026|Ariana,Ariana,2080|Ben Arous,Ben Arous,2013|Nabeul,Nabeul,8000|Hammamet,Nabeul,8050|Sousse,Sousse,4000|Monastir,Monastir,5000|Sfax,Sfax,3000|Kairouan,Kairouan,3100|Bizerte,Bizerte,7000|Gabès,Gabès,6000|Tozeur,Tozeur,2200|Houmt Souk,Médenine,4180',
  ),
  streets: streetsTunis,
  phone: (random: SeededRandom) =>
    `+216 ${random.pick([20, 22, 25, 50, 52, 55, 94, 98])} ${random.digits(3)} ${random.digits(3)}`,
}

const groups: Record<'tunisian' | 'arabic' | 'french' | 'gulf', People> = {
  tunisian: {
    first: latin(
      'Amine Yasmine Mehdi Rania Slim Ines Walid Sonia Karim Olfa Nizar Mouna Hatem Leïla Bilel Emna Sami Hela Anis Dorra Firas Nour Zied Salma',
    ),
    last: latin(
      'Trabelsi Jlassi Chaabane Mansouri Gharbi Bouazizi Hammami Dridi Ayari Zribi Khelifi Mabrouk Ferchichi Sassi Belhadj Guesmi Kallel Karoui',
    ),
    countries: { TN: tunisia },
  },
  arabic: {
    first: arabic(
      'أمين/amine ياسمين/yasmine محمد/mohamed فاطمة/fatma علي/ali مريم/mariem يوسف/youssef سلمى/salma حسين/hassine أميرة/amira نادية/nadia عمر/omar',
    ),
    last: arabic(
      'الطرابلسي/trabelsi بن_عمر/benamor الجلاصي/jlassi الشابي/chebbi القاسمي/gasmi المهيري/mehiri البوغانمي/boughanmi العياري/ayari الزواري/zouari',
    ),
    countries: {
      TN: {
        ...tunisia,
        places: places(
          'تونس,تونس,1000|صفاقس,صفاقس,3000|سوسة,سوسة,4000|القيروان,القيروان,3100|بنزرت,بنزرت,7000|قابس,قابس,6000|المهدية,المهدية,5100',
        ),
        streets: ['شارع الحبيب بورقيبة', 'نهج القصبة', 'شارع الحرية', 'نهج ابن خلدون', 'نهج سيدي محرز', 'شارع قرطاج'],
      },
    },
  },
  french: {
    first: latin(
      'Camille Hugo Chloé Louis Manon Théo Élise Antoine Inès Mathieu Zoé Clément Agathe François Noémie Étienne Aurélie Benoît',
    ),
    last: latin(
      'Lefèvre Moreau Garnier Dubois Rousseau Fournier Girard Mercier Blanchard Chevalier Perrin Delacroix Barbier Renaud',
    ),
    countries: {
      FR: {
        places: places(
          'Paris,Île-de-France,75011|Lyon,Auvergne-Rhône-Alpes,69003|Marseille,Provence-Alpes-Côte d’Azur,13006|Bordeaux,Nouvelle-Aquitaine,33000|Lille,Hauts-de-France,59000|Nantes,Pays de la Loire,44000|Strasbourg,Grand Est,67000|Montpellier,Occitanie,34000',
        ),
        streets: [
          'rue de la République',
          'rue Voltaire',
          'avenue Jean Jaurès',
          'rue des Lilas',
          'quai de la Fosse',
          'place du Marché',
        ],
        phone: (random) => `+33 ${random.pick([6, 7])} ${pairs(random, 4)}`,
      },
      BE: {
        places: places('Bruxelles,Bruxelles-Capitale,1000|Liège,Liège,4000|Namur,Namur,5000'),
        streets: ['rue Haute', 'avenue Louise', 'chaussée de Wavre'],
        phone: (random) => `+32 4${random.digits(2)} ${pairs(random, 3)}`,
      },
    },
  },
  gulf: {
    first: arabic(
      'خالد/khalid نورة/noura سعود/saud العنود/alanoud راشد/rashid موزة/moza فهد/fahad شيخة/sheikha حمد/hamad لطيفة/latifa بدر/bader ريم/reem',
    ),
    last: arabic(
      'العتيبي/alotaibi المنصوري/almansoori القحطاني/alqahtani الكواري/alkuwari الصباح/alsabah الشامسي/alshamsi الدوسري/aldosari الهاجري/alhajri',
    ),
    countries: {
      AE: {
        places: places('Dubai,Dubai,00000|Abu Dhabi,Abu Dhabi,00000|Sharjah,Sharjah,00000'),
        streets: ['Al Wasl Road', 'Corniche Road', 'Sheikh Zayed Road', 'Al Khan Street'],
        phone: (random) => `+971 5${random.pick([0, 2, 4, 5, 6])} ${random.digits(3)} ${random.digits(4)}`,
      },
      SA: {
        places: places('الرياض,منطقة الرياض,12211|جدة,منطقة مكة المكرمة,21577|الدمام,المنطقة الشرقية,32241'),
        streets: ['طريق الملك فهد', 'شارع التحلية', 'شارع الأمير سلطان', 'طريق المدينة'],
        phone: (random) => `+966 5${random.digits(1)} ${random.digits(3)} ${random.digits(4)}`,
      },
      KW: {
        places: places('الكويت,العاصمة,13001|حولي,حولي,32001|السالمية,حولي,20001'),
        streets: ['شارع الخليج العربي', 'شارع سالم المبارك', 'شارع تونس'],
        phone: (random) => `+965 ${random.pick([5, 6, 9])}${random.digits(3)} ${random.digits(4)}`,
      },
      QA: {
        places: places('Doha,Ad Dawhah,00000|Al Rayyan,Al Rayyan,00000'),
        streets: ['Al Corniche Street', 'Salwa Road', 'Al Waab Street'],
        phone: (random) => `+974 ${random.pick([3, 5, 6, 7])}${random.digits(3)} ${random.digits(4)}`,
      },
    },
  },
}

export interface Person {
  first: string
  last: string
  email: string
  phone: string
  address: string
  city: string
  state: string
  postal: string
  country: string
  /** The language of this person. */
  language: 'en' | 'fr' | 'ar'
}

const MAILBOXES = ['example.com', 'example.net', 'example.org', 'mail.example', 'courriel.example']

const languages = { tunisian: 'fr', arabic: 'ar', french: 'fr', gulf: 'ar' } as const

const drawPerson = (random: SeededRandom, taken: Set<string>): Person => {
  const origin = random.weighted({ tunisian: 46, arabic: 22, french: 18, gulf: 14 })
  const { first, last, countries } = groups[origin]
  const [given, family] = [random.pick(first), random.pick(last)]
  const country = random.pick(Object.keys(countries))
  const land = countries[country] as People['countries'][string]
  const { city, state, postal } = random.pick(land.places)
  let email = ''
  for (let tries = 0; email === '' || taken.has(email); tries++) {
    const number = tries === 0 ? '' : String(random.between(2, 99))
    email = `${slugify(given[1])}.${slugify(family[1])}${number}@${random.pick(MAILBOXES)}`
  }
  taken.add(email)
  const address = `${random.between(1, 120)} ${random.pick(land.streets)}`
  const language = origin === 'tunisian' && random.chance(0.3) ? 'en' : languages[origin]
  return {
    first: given[0],
    last: family[0],
    email,
    phone: land.phone(random),
    address,
    city,
    state,
    postal,
    country,
    language,
  }
}

/** Random people: customers, and others who write reviews or place orders without an account. */
export const randomPeople = (name: string, count: number): Person[] => {
  const random = new SeededRandom(name)
  const taken = new Set<string>()
  return Array.from({ length: count }, () => drawPerson(random, taken))
}
