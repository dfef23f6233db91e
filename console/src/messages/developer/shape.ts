import type { Widen } from '../shape.ts'
import type en from './en.ts'

export type DeveloperMessages = Widen<typeof en>
