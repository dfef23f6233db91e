import { numberFormat } from '../messages/formats.ts'
import { useWords } from '../messages/messages.ts'

export const formatMoney = (locale: string, amount: number, currency: string) =>
  numberFormat(locale, { style: 'currency', currency, currencyDisplay: 'code' })
    .format(amount)
    .replace(/\u00a0/g, ' ')

/** An amount in its currency, as the reader's language writes it. */
export const Money = ({ amount, currency }: { amount: number; currency: string }) => {
  const { locale } = useWords()
  return <bdi>{formatMoney(locale, amount, currency)}</bdi>
}
