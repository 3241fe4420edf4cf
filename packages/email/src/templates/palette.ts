export type MailColors = typeof palette.light

/** The colours of the pages in app.css. */
export const palette = {
  light: {
    canvas: '#f3f5f7',
    surface: '#ffffff',
    ink: '#0f1a21',
    inkSoft: '#4b5963',
    line: '#d8dee2',
    accent: '#0b5674',
    onAccent: '#ffffff',
  },
  dark: {
    canvas: '#0b1116',
    surface: '#121a20',
    ink: '#e8eef2',
    inkSoft: '#a4b2bc',
    line: '#26333c',
    accent: '#7ec6e6',
    onAccent: '#05202d',
  },
}
