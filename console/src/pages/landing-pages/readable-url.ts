/** The address of a page as people read it. */
export const readable = (url: string) => {
  const short = url.replace(/^https?:\/\//, '')
  try {
    return decodeURI(short)
  } catch {
    return short
  }
}
