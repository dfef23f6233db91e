import { expect, test } from 'vitest'
import { areaPath, linePath, type Point } from '../../console/src/components/chart-paths.ts'

const day = (x: number, y: number): Point => [x, y]

test('a day without a value leaves a gap in the line and in the area below it', () => {
  const points = [day(0, 5), day(1, 2), null, day(3, 4), day(4, 1), null]
  expect(linePath(points)).toBe('M0 5L1 2M3 4L4 1')
  expect(areaPath(points, 9)).toBe('M0 5L1 2V9H0ZM3 4L4 1V9H3Z')
})

test('a day between two gaps is a dot, and nothing but gaps is nothing', () => {
  expect(linePath([null, day(1, 2), null])).toBe('M1 2h0')
  expect([linePath([null, null]), areaPath([null], 9), linePath([])]).toEqual(['', '', ''])
})
