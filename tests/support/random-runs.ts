/** How often a random test runs. `RANDOM_RUNS=10 npm test` runs each ten times as often. */
export const randomRuns = (runs: number) => Math.ceil(runs * Number(process.env.RANDOM_RUNS ?? 1))
