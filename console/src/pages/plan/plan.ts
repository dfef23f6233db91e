import type { Client } from '../../api/store.tsx'
import { numberFormat } from '../../messages/formats.ts'
import type { Messages } from '../../messages/shape.ts'

export type Plans = Awaited<ReturnType<Client['plans']['list']>>
export type Plan = Plans['plans'][number]
export type LimitName = keyof Messages['problems']['limitNames']

export const LIMIT_NAMES: readonly LimitName[] = [
  'products',
  'orders',
  'storage',
  'people',
  'apps',
  'webhooks',
  'calls',
]

const MEGABYTE = 1024 ** 2
const GIGABYTE = 1024 ** 3

/** A limit or the use of one. Storage is in bytes. */
export const formatLimit = (locale: string, name: LimitName, count: number) => {
  if (name !== 'storage') return numberFormat(locale).format(count)
  const [unit, size] = count >= GIGABYTE ? (['gigabyte', GIGABYTE] as const) : (['megabyte', MEGABYTE] as const)
  const options = { style: 'unit', unit, maximumFractionDigits: 1 } as const
  return numberFormat(locale, options).format(count / size)
}
