import type { Language } from '../messages/messages.ts'

const HEAD_BYTES = 65_536

/** Old versions of Excel save in the alphabet of their language. */
export const encodingOf = async (file: File, language: Language) => {
  try {
    // A character may be cut at the end of the piece: then `stream` waits for the rest.
    new TextDecoder('utf-8', { fatal: true }).decode(await file.slice(0, HEAD_BYTES).arrayBuffer(), { stream: true })
    return 'utf-8'
  } catch {
    return language === 'ar' ? 'windows-1256' : 'windows-1252'
  }
}

export async function* textOf(file: File, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  const reader = file.stream().getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read())
    yield decoder.decode(next.value, { stream: true })
  yield decoder.decode()
}
