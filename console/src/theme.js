// Runs before the first paint, so that the page does not change its colours or its direction in front of the reader.
try {
  const { theme, language } = JSON.parse(localStorage.getItem('console.look') ?? '{}')
  const root = document.documentElement
  if (theme) root.dataset.theme = theme
  if (language) root.lang = language
  if (language === 'ar') root.dir = 'rtl'
} catch {
  // Without storage the browser's preferences count.
}
