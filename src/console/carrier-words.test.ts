import { expect, test } from 'vitest'
import { columnOf, meaningOf } from '../../console/src/pages/parcels/results-file.ts'

test.each([
  ['Delivered', 'delivered'],
  ['DELIVERED TO CUSTOMER', 'delivered'],
  ['Livré', 'delivered'],
  ['Colis livrée', 'delivered'],
  ['تم التسليم', 'delivered'],
  ['تم تسليم الطرد بنجاح', 'delivered'],
  ['تمّ التوصيل', 'delivered'],
  ['مُسلَّم', 'delivered'],
  ['سُلِّمت', 'delivered'],
  ['Returned', 'returned'],
  ['Retourné à l’expéditeur', 'returned'],
  ['تم الإرجاع', 'returned'],
  ['مرتجع', 'returned'],
  ['Return in progress', 'returning'],
  ['Refusé par le client', 'returning'],
  ['رفض الاستلام', 'returning'],
  ['راجع', 'returning'],
  ['Out for delivery', 'shipped'],
  ['En cours de livraison', 'shipped'],
  ['جاري التسليم', 'shipped'],
  ['قيد التوصيل', 'shipped'],
  ['خرج للتسليم', 'shipped'],
  ['Not delivered', undefined],
  ['To be delivered', undefined],
  ['Undelivered', undefined],
  ['Non livré', undefined],
  ['Échec de livraison', undefined],
  ['Tentative de livraison', undefined],
  ['لم يتم التسليم', undefined],
  ['غير مسلّم', undefined],
  ['تعذّر التسليم', undefined],
  ['سيتم التسليم غدًا', undefined],
  ['جاهز للتسليم', undefined],
  ['Chez le client', undefined],
])('a carrier that writes «%s» means %s', (text, meaning) => {
  expect(meaningOf(text)).toBe(meaning)
})

test.each([
  [['Order', 'Tracking No', 'Status'], 1, 2],
  [['N° de suivi', 'État'], 0, 1],
  [['حالة الشحنة', 'رقم التتبع'], 1, 0],
  [['Parcel status', 'Parcel'], 1, 0],
  [['Code-barres', 'Situation', 'Remarque'], 0, 1],
  [['A', 'B'], -1, -1],
])('the columns of %j are the tracking number at %i and the result at %i', (headers, number, result) => {
  expect(columnOf(headers, 'number')).toBe(number)
  expect(columnOf(headers, 'result')).toBe(result)
})
