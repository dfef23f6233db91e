import type { Widen } from '../shape.ts'
import type en from './en.ts'

export type OperatorMessages = Widen<typeof en>
