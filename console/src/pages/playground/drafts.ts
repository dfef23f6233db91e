/** Bodies that were typed, until the console is left: they may hold anything, so the browser stores none. */
const drafts = new Map<string, string>()
/** Stores that are no demo, and of which somebody has said that calls may change them. */
const agreed = new Set<string>()

export const draftOf = (app: string, call: string) => drafts.get(`${app} ${call}`)
export const keepDraft = (app: string, call: string, body: string) => drafts.set(`${app} ${call}`, body)
export const hasAgreed = (store: string) => agreed.has(store)
export const agree = (store: string) => agreed.add(store)
