/** The result of one check: fine, worth knowing, or a fault that keeps the service from running. */
export interface Finding {
  check: string
  state: 'ok' | 'note' | 'fault'
  found: string
  /** How to fix it. */
  fix?: string
  /** Kept texts by kind that `--repair` rewrites, or has rewritten. */
  repairs?: { kind: string; texts: number }[]
}
