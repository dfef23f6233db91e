import type { BulkResult } from '../../../../client/src/bulk.ts'
import { csvRow } from '../../../../src/resources/bulk/csv/write.ts'
import type { Client } from '../../api/store.tsx'
import { sentenceInWords } from '../../components/describe-error.ts'
import type { Messages } from '../../messages/shape.ts'
import type { TransferWords } from './words/en.ts'

export type Failed = BulkResult & { status: 'failed' }
export type Taken = Exclude<BulkResult, Failed>

/** How many lines that were taken are compared with what exists. */
export const MAX_COMPARED = 20

export interface Results {
  failed: Failed[]
  /** The first ones. */
  taken: Taken[]
}

export const readResults = async (client: Client, id: string, signal: AbortSignal): Promise<Results> => {
  const failed: Failed[] = []
  const taken: Taken[] = []
  for await (const result of client.bulk.results(id, { signal })) {
    if (result.status === 'failed') failed.push(result)
    else if (taken.length < MAX_COMPARED) taken.push(result)
  }
  return { failed, taken }
}

/** `variants.0.price` is a price. */
const labelOf = (path: string, { fields }: TransferWords) =>
  path
    .split('.')
    .reverse()
    .map((part) => fields[part] ?? fields[part.replace(/_id$/, '')])
    .find((label) => label !== undefined)

/** Why a line was refused, in the language of the page. */
export const problemOf = ({ errors, message }: Failed, words: TransferWords, { problems, controls }: Messages) => {
  const sentences = Object.entries(errors ?? {}).map(([path, found]) => {
    const text = found.map(sentenceInWords(problems)).join(' ')
    return controls.labelled(labelOf(path, words) ?? path, text)
  })
  return sentences.join(' ') || message
}

/** The result of every line, for a spreadsheet. */
export const resultFile = async (client: Client, id: string, words: TransferWords, messages: Messages) => {
  const { result, resultStatus } = words
  const parts = ['\uFEFF', csvRow([result.row, result.status, result.id, result.problem])]
  for await (const line of client.bulk.results(id))
    parts.push(
      line.status === 'failed'
        ? csvRow([line.line, resultStatus.failed, '', problemOf(line, words, messages)])
        : csvRow([line.line, resultStatus[line.status], line.id, '']),
    )
  return new Blob(parts, { type: 'text/csv' })
}
