import { execFileSync } from 'node:child_process'

/** The process and its children, as PostgreSQL's. */
export const processTree = (pid: number): number[] => [
  pid,
  ...execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .map(Number),
]
