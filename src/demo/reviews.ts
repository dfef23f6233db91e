import type { Language } from './catalogue/product.ts'
import type { Person } from './names-and-places.ts'
import type { Product } from './products.ts'
import { DAY, MINUTE, SeededRandom, seededId, TODAY } from './random.ts'
import { STORE } from './store.ts'

type Mood = 'glad' | 'mixed' | 'cross'

interface Phrases {
  opening: string[]
  detail: string[]
  closing: string[]
}

const phrases: Record<Language, Record<Mood, Phrases>> = {
  en: {
    glad: {
      opening: [
        'Even better than in the pictures.',
        'I bought one, and came back for three more.',
        'A present that was a success.',
        'Beautiful work.',
        'Exactly what our kitchen was missing.',
      ],
      detail: [
        'The finish is lovely and it feels solid.',
        'The colour is warm and even.',
        'You can tell that it was made by hand.',
        'It was wrapped so well that nothing could happen to it.',
        'We have used it every day for a month.',
      ],
      closing: [
        'Delivery took two days.',
        'Thank you, Dar Yasmine!',
        'Would buy again.',
        'My mother now wants one too.',
        'Worth every dinar.',
      ],
    },
    mixed: {
      opening: ['Nice, but smaller than I imagined.', 'Good for the price.', 'It does the job.'],
      detail: [
        'The colour is a little paler than on the screen.',
        'One corner was slightly rough.',
        'The parcel took a week.',
      ],
      closing: ['Still, I am keeping it.', 'The shop answered quickly when I asked.', 'Measure before you order.'],
    },
    cross: {
      opening: ['It arrived broken.', 'Not what I ordered.', 'I am disappointed.'],
      detail: [
        'The box was far too thin.',
        'It was the wrong size, and I had to send it back.',
        'The glaze came off after two washes.',
      ],
      closing: ['I am still waiting for an answer.', 'At least the refund came quickly.'],
    },
  },
  fr: {
    glad: {
      opening: [
        'Superbe, encore plus beau en vrai.',
        'Un vrai coup de cœur.',
        'Cadeau très apprécié.',
        'Très belle finition.',
        'Je recommande les yeux fermés.',
      ],
      detail: [
        'Les couleurs sont magnifiques.',
        'On sent le travail de l’artisan.',
        'L’emballage était très soigné.',
        'C’est solide et agréable en main.',
        'Il a trouvé sa place tout de suite.',
      ],
      closing: [
        'Livraison rapide, merci !',
        'J’en reprendrai.',
        'Bravo à toute l’équipe.',
        'Parfait pour le café du matin.',
        'Le rapport qualité-prix est excellent.',
      ],
    },
    mixed: {
      opening: ['Correct, sans plus.', 'Joli mais un peu petit.', 'Bon produit dans l’ensemble.'],
      detail: [
        'La couleur est plus claire que sur la photo.',
        'Le colis a mis une semaine.',
        'Une petite bulle dans l’émail.',
      ],
      closing: ['Je le garde quand même.', 'Le service client a bien répondu.', 'Pensez à vérifier les dimensions.'],
    },
    cross: {
      opening: ['Arrivé cassé.', 'Déçue.', 'Ce n’est pas le modèle commandé.'],
      detail: ['Le carton était trop fin.', 'La taille ne correspond pas.', 'Le vernis part au lavage.'],
      closing: ['J’attends toujours une réponse.', 'Heureusement, le remboursement a été rapide.'],
    },
  },
  ar: {
    glad: {
      opening: [
        'رائع، أجمل من الصور.',
        'هدية أعجبت الجميع.',
        'صناعة متقنة ما شاء الله.',
        'منتج ممتاز.',
        'أنصح به بشدة.',
      ],
      detail: [
        'الألوان جميلة والخامة متينة.',
        'يظهر عليه عمل اليد.',
        'التغليف محكم جدا.',
        'نستعمله كل يوم.',
        'زين المكان كله.',
      ],
      closing: ['التوصيل سريع، شكرا لكم.', 'سأشتري مرة أخرى.', 'بارك الله فيكم.', 'يستحق ثمنه.'],
    },
    mixed: {
      opening: ['جيد ولكنه أصغر مما توقعت.', 'لا بأس به.', 'مقبول بهذا السعر.'],
      detail: ['اللون أفتح قليلا من الصورة.', 'تأخر التوصيل أسبوعا.', 'فيه خدش صغير.'],
      closing: ['سأحتفظ به على كل حال.', 'خدمة الزبائن أجابت بسرعة.'],
    },
    cross: {
      opening: ['وصل مكسورا.', 'ليس ما طلبته.', 'خيبة أمل.'],
      detail: ['العلبة رقيقة جدا.', 'المقاس غير صحيح.', 'زال الطلاء بعد غسلتين.'],
      closing: ['ما زلت أنتظر الرد.', 'على الأقل أعادوا لي المال.'],
    },
  },
}

const moodOf = (rating: number): Mood => (rating >= 4 ? 'glad' : rating === 3 ? 'mixed' : 'cross')

const write = (language: Language, mood: Mood, random: SeededRandom) => {
  const { opening, detail, closing } = phrases[language][mood]
  const rest = [random.pick(detail), ...(random.chance(0.6) ? [random.pick(closing)] : [])]
  return [random.pick(opening), ...rest].join(' ')
}

const reviewer = (people: Person[], random: SeededRandom) => {
  const { first, last, email, language } = random.pick(people)
  const signed = random.chance(0.7)
  return {
    language,
    reviewer_name: signed ? `${first} ${last}` : `${first} ${[...last][0]}.`,
    reviewer_email: signed ? email : null,
  }
}

/** Most reviews are good. Some are pending or hidden. */
export const makeReviews = (products: Product[], people: Person[], count: number) => {
  const random = new SeededRandom('reviews')
  const bought = products.filter(({ note }) => !note.inactive)
  const times = Array.from({ length: count }, () => TODAY - 360 * DAY * random.next() - random.below(600) * MINUTE)
  return times
    .sort((a, b) => a - b)
    .map((time, index) => {
      const at = Math.floor(time)
      const product = random.pick(bought)
      const { language, ...signed } = reviewer(people, random)
      const rating = Number(random.weighted({ 5: 48, 4: 27, 3: 12, 2: 7, 1: 6 }))
      return {
        store_id: STORE.id,
        id: seededId('review', index, at),
        product_id: product.id,
        content: write(language, moodOf(rating), random),
        status: random.weighted({ published: 70, pending: 18, hidden: 12 }),
        rating,
        ...signed,
        created_at: new Date(at),
        updated_at: new Date(at),
      }
    })
}
