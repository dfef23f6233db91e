import { plainPhone } from '../../../../src/core/input/phone.ts'
import type { Order } from './labels.ts'

type Called = Pick<Order, 'signals' | 'customer_phone'>

/** The digits of any script, as they were typed. */
export const dialled = (phone: string) => `tel:${plainPhone(phone).replace(/[^+\d]/g, '')}`

/** What is not a phone number of any country is dialled as it was typed. */
export const telHref = ({ signals, customer_phone }: Called) =>
  signals.phone ? `tel:${signals.phone}` : dialled(customer_phone)

/** WhatsApp knows a number only with the code of its country. */
export const whatsappHref = ({ signals }: Called, text: string) =>
  signals.phone && `https://wa.me/${signals.phone.slice(1)}?text=${encodeURIComponent(text)}`
