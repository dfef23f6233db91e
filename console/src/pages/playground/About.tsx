/** A text of the document: paragraphs, with names between backticks. */
export const About = ({ text }: { text: string }) =>
  text.split(/\n{2,}/).map((paragraph, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes.
    <p key={place} dir="auto" lang="en">
      {paragraph.split('`').map((part, n) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        n % 2 === 1 ? <code key={n}>{part}</code> : part,
      )}
    </p>
  ))
