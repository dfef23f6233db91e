import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { addCleanup } from '../support/cleanup.ts'

/** Mounting needs root; otherwise these tests are skipped. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0
if (!canMount) process.stderr.write('Full disks are not tried: mounting small ones takes root.\n')

/** A disk of some megabytes that can be filled completely and grown. */
export const mountSmallDisk = (folder: string, megabytes: number) => {
  const filler = path.join(folder, 'filler')
  const mount = (...words: string[]) => execFileSync('mount', ['-t', 'tmpfs', ...words, 'tmpfs', folder])
  mount('-o', `size=${megabytes}m,mode=0755`)
  addCleanup(() => {
    execFileSync('umount', ['-l', folder])
  })
  return {
    /** Leaves this many kilobytes free. */
    fill: async (leaving: number) => {
      const free = Number(execFileSync('stat', ['-f', '-c', '%a', folder], { encoding: 'utf8' })) * 4
      // Others may write in the meantime: then the disk is full a little earlier, which is what was asked for.
      await writeFile(filler, Buffer.alloc(Math.max(0, free - leaving) * 1024)).catch((error) => {
        if (leaving > 0 || error.code !== 'ENOSPC') throw error
      })
    },
    makeRoom: () => rm(filler, { force: true }),
  }
}
