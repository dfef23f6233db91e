export type Point = readonly [x: number, y: number]

/** The points between gaps. */
const runsOf = (points: readonly (Point | null)[]) => {
  const runs: [Point, ...Point[]][] = []
  for (const [place, point] of points.entries())
    if (point) {
      const last = points[place - 1] ? runs.at(-1) : undefined
      if (last) last.push(point)
      else runs.push([point])
    }
  return runs
}

const pathOf = (run: readonly Point[]) => `M${run.map(([x, y]) => `${x} ${y}`).join('L')}`

/** A point alone is a dot. */
export const linePath = (points: readonly (Point | null)[]) =>
  runsOf(points)
    .map((run) => (run.length === 1 ? `${pathOf(run)}h0` : pathOf(run)))
    .join('')

/** Below the line, down to the axis. Gaps stay empty. */
export const areaPath = (points: readonly (Point | null)[], axis: number) =>
  runsOf(points)
    .map((run) => `${pathOf(run)}V${axis}H${run[0][0]}Z`)
    .join('')
