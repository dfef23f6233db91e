import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { type Run, rest } from './client.ts'
import type { ProofNode, World } from './world.ts'

export const FAULTS = [
  'kill-node',
  'kill-postgres',
  'cut-commit',
  'pause-node',
  'pause-postgres',
  'clock',
  'disk-full',
] as const
export type Fault = (typeof FAULTS)[number] | 'failover'

/** Seconds. Beyond a day stored replies of retries would expire, if their age were told by the clock of a node. */
const JUMPS = [-90_000, -7_200, -300, -5, 5, 300, 7_200, 90_000]

type Work = (world: World, random: Random) => Promise<string>

const anyNode = ({ nodes }: World, random: Random): ProofNode => random.pick(nodes)

const WORK: Record<Fault, Work> = {
  'kill-node': async (world, random) => {
    const node = anyNode(world, random)
    await node.kill()
    await sleep(random.below(400))
    await node.start()
    return 'a node was killed'
  },
  'kill-postgres': async ({ postgres }, random) => {
    await postgres?.kill()
    await sleep(random.below(300))
    await postgres?.start()
    return 'PostgreSQL was killed'
  },
  'cut-commit': async ({ proxy }, random) => {
    proxy?.arm(1 + random.below(4))
    await sleep(500)
    return 'connections were cut between a commit and its acknowledgement'
  },
  'pause-node': async (world, random) => {
    const node = anyNode(world, random)
    node.pause()
    await sleep(300 + random.below(2_500))
    node.resume()
    return 'a node was paused'
  },
  'pause-postgres': async ({ postgres }, random) => {
    postgres?.signalAll('SIGSTOP')
    await sleep(300 + random.below(1_500))
    postgres?.signalAll('SIGCONT')
    return 'PostgreSQL was paused'
  },
  clock: async (world, random) => {
    const node = anyNode(world, random)
    const seconds = random.pick(JUMPS)
    await node.shiftClock(seconds)
    await sleep(1_000 + random.below(1_500))
    await node.shiftClock(0)
    return `the clock of a node jumped by ${seconds} s`
  },
  'disk-full': async ({ disk }, random) => {
    if (!disk) return 'no disk could be mounted'
    // Others write too: it may be full before this has written everything.
    await disk.fill(0).catch(() => {})
    await sleep(500 + random.below(1_000))
    await disk.makeRoom()
    return 'the disk of the database was full'
  },
  failover: async ({ cluster }) => {
    await cluster?.untilWhole()
    const killed = await cluster?.primary()
    await killed?.kill()
    await sleep(3_000)
    killed?.start()
    await cluster?.untilWhole()
    return 'the primary was killed'
  },
}

/** Breaks one thing, and leaves it whole. Returns what it was. */
export const breakOne = (world: World, fault: Fault, random: Random) => WORK[fault](world, random)

/** Operations from one fault to the next. */
const BETWEEN = 50

/** Breaks one thing after the other until it is told to stop, and leaves everything whole. */
export const breakThings = async (run: Run, faults: readonly Fault[], random: Random, isOver: () => boolean) => {
  const done: string[] = []
  while (faults.length > 0 && !isOver()) {
    await sleep(200 + random.below(900))
    if (isOver()) break
    done.push(await breakOne(run.world, random.pick(faults), random))
    await rest(run, BETWEEN, isOver)
  }
  return done
}
