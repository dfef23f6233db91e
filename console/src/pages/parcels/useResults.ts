import { useRef, useState } from 'react'
import { MAX_RESULTS } from '../../../../src/resources/parcels/states.ts'
import { type Client, useStore } from '../../api/store.tsx'
import type { Line } from './results-file.ts'

export type Outcome = Awaited<ReturnType<Client['parcels']['updateParcelResults']>>[number]
export interface Options {
  restock: boolean
  carrier_id?: string
}

/**
 * Sends the lines piece by piece. Each piece has one key until it is answered: if the answer is lost, sending again goes on
 * there, and nothing is applied twice.
 */
export const useResults = (dryRun: boolean) => {
  const { client } = useStore()
  const sent = useRef<{ key: string; outcomes?: readonly Outcome[] }[]>([])
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([])
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const forget = () => {
    sent.current = []
    setOutcomes([])
    setError(undefined)
  }
  /** Whether all lines were answered. */
  const send = async (lines: readonly Line[], options: Options) => {
    setBusy(true)
    setError(undefined)
    try {
      for (let from = 0; from < lines.length; from += MAX_RESULTS) {
        sent.current[from / MAX_RESULTS] ??= { key: crypto.randomUUID() }
        const piece = sent.current[from / MAX_RESULTS] as (typeof sent.current)[number]
        const results = lines
          .slice(from, from + MAX_RESULTS)
          .map(({ tracking_number, result }) => ({ tracking_number, result }))
        const how = dryRun ? { dryRun } : { idempotencyKey: piece.key }
        piece.outcomes ??= await client.parcels.updateParcelResults({ ...options, results }, how)
        setOutcomes(sent.current.flatMap(({ outcomes = [] }) => outcomes))
      }
      return true
    } catch (error) {
      setError(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { outcomes, busy, error, send, forget }
}
