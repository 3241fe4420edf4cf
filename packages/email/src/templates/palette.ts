/** The colours of the pages, by the names that they have in app.css. */
export const palette = {
  light: {
    canvas: '#f3f5f7',
    surface: '#ffffff',
    ink: '#0f1a21',
    'ink-soft': '#4b5963',
    line: '#d8dee2',
    accent: '#0b5674',
    'on-accent': '#ffffff',
  },
  dark: {
    canvas: '#0b1116',
    surface: '#121a20',
    ink: '#e8eef2',
    'ink-soft': '#a4b2bc',
    line: '#26333c',
    accent: '#7ec6e6',
    'on-accent': '#05202d',
  },
}
