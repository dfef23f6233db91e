import { expect, test } from 'vitest'
import { ValidationErrors } from '../../errors.ts'
import type { Line } from './queries.ts'
import { checkStockChanges, errorsOf } from './rules.ts'
import type { StockChange } from './schema.ts'

const check = (...changes: StockChange[]) => {
  const errors = new ValidationErrors()
  checkStockChanges(changes, errors)
  return errors.fields
}

test('a line names one variant and one change', () => {
  expect(check({ variant_id: 'a', quantity: 0 }, { sku: 'a', delta: 0 })).toEqual({})
  expect(check({ delta: 1 })).toEqual({ 'stock.0.variant_id': ['or sku is required'] })
  expect(check({ variant_id: 'a', sku: 'b', delta: 1 })).toEqual({
    'stock.0.sku': ['cannot be given together with variant_id'],
  })
  expect(check({ variant_id: 'a', delta: 1 }, { variant_id: 'b' })).toEqual({
    'stock.1.quantity': ['or delta is required'],
  })
  expect(check({ variant_id: 'a', quantity: 1, delta: 1 })).toEqual({
    'stock.0.delta': ['cannot be given together with quantity'],
  })
})

test('a variant is named once, by id or by SKU', () => {
  expect(check({ variant_id: 'a', delta: 1 }, { variant_id: 'b', delta: 1 }, { sku: 'a', delta: 1 })).toEqual({})
  expect(check({ variant_id: 'a', delta: 1 }, { variant_id: 'a', quantity: 1 })).toEqual({
    'stock.1.variant_id': ['is given twice'],
  })
  expect(check({ sku: 'a', delta: 1 }, { sku: 'a', delta: 1 })).toEqual({ 'stock.1.sku': ['is given twice'] })
})

test('a line that was not applied says why, at the field that is to be changed', () => {
  const line = (problem: Line['problem']) => ({ problem, before: 3 }) as Line
  const byId: StockChange = { variant_id: 'a', delta: -5 }
  const bySku: StockChange = { sku: 'a', quantity: 5 }
  expect(errorsOf(byId, line(null))).toEqual({})
  expect(errorsOf(byId, line('unknown'))).toEqual({ variant_id: ['must be the id of a variant'] })
  expect(errorsOf(bySku, line('unknown'))).toEqual({ sku: ['must be the SKU of a variant'] })
  expect(errorsOf(bySku, line('ambiguous'))).toEqual({ sku: ['belongs to several variants: use variant_id'] })
  expect(errorsOf(byId, line('repeated'))).toEqual({ variant_id: ['is the variant of an earlier line'] })
  expect(errorsOf(bySku, line('repeated'))).toEqual({ sku: ['is the variant of an earlier line'] })
  expect(errorsOf(byId, line('too_large'))).toEqual({ delta: ['would make the quantity too large'] })
  expect(errorsOf(bySku, line('too_large'))).toEqual({ quantity: ['would make the quantity too large'] })
  expect(errorsOf(byId, line('short'))).toEqual({ delta: ['would take more than the 3 in stock'] })
})
