import { foldText, slugify } from '../core/input/normalize-text.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import { categories } from './catalogue/product.ts'
import { DAY, seededId, TODAY } from './random.ts'

/** The store itself, its carriers, payment methods, categories and domains. */

const OPENED = TODAY - 460 * DAY
const opened = new Date(OPENED)

export const STORE = {
  id: seededId('store', 'Dar Yasmine', OPENED) as StoreId,
  name: 'Dar Yasmine',
  domain: 'dar-yasmine.example',
  currency: 'TND',
  time_zone: 'Africa/Tunis',
  language: 'fr',
  contact_email: 'bonjour@dar-yasmine.example',
  contact_phone: '+216 71 240 118',
  contact_address: '14 rue Sidi Ali Azouz, 1008 Tunis',
  country_id: 'TN',
  order_desk: {
    confirm: true,
    confirm_payment_methods: [],
    restock_on_receipt: false,
    min_parcels: 3,
    bad_below: 50,
    careful_below: 75,
    min_address: 10,
    max_quantity: 10,
    share_phone_counts: false,
  },
  created_at: opened,
}

export const APP = { id: seededId('app', 'demo', OPENED), name: 'Demo app', created_at: opened }

export const categoryRows = categories.map((name, index) => ({
  store_id: STORE.id,
  id: seededId('category', name, OPENED + index),
  name,
  name_key: foldText(name),
  created_at: new Date(OPENED + index),
}))

const carriers = [
  ['Aramex', 'aramex', 'https://www.aramex.com/track/results?ShipmentNumber={tracking_number}'],
  ['La Poste Tunisienne (Rapid-Poste)', 'rapid-poste', 'https://www.rapidposte.poste.tn/suivi?code={tracking_number}'],
  ['DHL Express', 'dhl', 'https://www.dhl.com/tn-en/home/tracking.html?tracking-id={tracking_number}'],
  ['Livreur du quartier', 'livreur', null],
  ['Sahel Messagerie', 'sahel', 'https://suivi.sahel-messagerie.example/{tracking_number}'],
] as const

export const carrierRows = carriers.map(([name, code, tracking_url], index) => ({
  store_id: STORE.id,
  id: seededId('carrier', code, OPENED + index),
  name,
  code,
  tracking_url,
  // The last one is inactive; old deliveries still refer to it.
  status: code === 'sahel' ? 'inactive' : 'active',
  created_at: new Date(OPENED + index),
}))

const methods = [
  ['Cash on delivery', ['cod'], 'active', true],
  ['Carte bancaire', ['card'], 'active', true],
  ['Virement bancaire', ['bank_transfer'], 'active', true],
  ['محفظة إلكترونية', ['wallet', 'card'], 'inactive', false],
] as const

export const paymentRows = methods.map(([name, payment_types, status, connected], index) => ({
  store_id: STORE.id,
  id: seededId('payment method', name, OPENED + index),
  name,
  payment_types,
  status,
  connected,
  created_at: new Date(OPENED + index),
}))

const domains = [
  ['primary', STORE.domain, true],
  ['offers', `offers.${STORE.domain}`, false],
] as const

export const domainRows = domains.map(([name, host, is_primary], index) => ({
  store_id: STORE.id,
  id: seededId('domain', name, OPENED + index),
  host,
  is_primary,
  created_at: new Date(OPENED + index),
  updated_at: new Date(OPENED + index),
}))

export const OFFERS_DOMAIN = domainRows[1]?.id ?? null

const policies = [
  [
    'refund',
    'Retours et remboursements',
    '# Retours\n\nVous avez **14 jours** pour nous renvoyer un article. Le remboursement suit sous une semaine.',
    true,
  ],
  ['privacy', 'Confidentialité', 'Nous gardons votre adresse pour livrer, et rien de plus.', true],
  ['terms', 'Conditions générales', '1. Les prix sont en dinars, toutes taxes comprises.', true],
  ['shipping', 'التوصيل', 'نوصل إلى جميع الولايات في **48 ساعة**.', true],
  ['custom', 'Gift wrapping', 'We wrap gifts for free from 50 TND.', false],
] as const

export const policyRows = policies.map(([type, title, content, is_published], index) => ({
  store_id: STORE.id,
  id: seededId('policy', type, OPENED + index),
  type,
  title,
  slug: slugify(title),
  content,
  is_published,
  created_at: new Date(OPENED + index),
  updated_at: new Date(OPENED + index),
}))
