// Answers each line of standard input, `closed CLIENTS SECONDS`, when its round is over, with the line
// {"seconds": …, "times": […]}; `play` returns what each move took, in seconds.
const readline = require('readline');

module.exports = async function answerRounds(play) {
  console.log('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [, clients, seconds] = line.split(' ');
    const began = performance.now();
    const times = await play(Number(clients), Number(seconds));
    console.log(JSON.stringify({ seconds: (performance.now() - began) / 1000, times }));
  }
  process.exit(0);
};
