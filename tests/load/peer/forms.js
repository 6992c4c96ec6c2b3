// node forms.js SCRIPTS PORT HOST: as tests/load/clients.py, sends the forms of SCRIPTS, a JSON file with a list of them
// for each match; a form is path, headers, body and status. A client plays one match after the other, and sends the next
// form when it has its answer.
const fs = require('fs');
const http = require('http');
const answerRounds = require('./rounds');

const [file, port, host] = process.argv.slice(2);
const scripts = JSON.parse(fs.readFileSync(file, 'utf-8'));

function send([path, headers, body, status]) {
  return new Promise((resolve, reject) => {
    const options = {
      agent: false, path, port, method: 'POST', host: '127.0.0.1', // a new connection, as nginx passes requests on
      headers: { Host: host, 'X-Forwarded-Proto': 'https', 'Content-Length': Buffer.byteLength(body), ...headers },
    };
    const request = http.request(options, (response) => {
      let text = '';
      response.on('data', (part) => { text += part; });
      response.on('end', () => {
        if (response.statusCode === status) resolve();
        else reject(new Error(`${path}: ${response.statusCode} for ${body}\n${text.slice(0, 3000)}`));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function closed(clients, seconds) {
  const times = [];
  const end = performance.now() + 1000 * seconds;
  const play = async (number) => {
    for (let match = number; match < scripts.length; match += clients) {
      while (scripts[match].length) {
        if (performance.now() > end) return;
        const began = performance.now();
        await send(scripts[match].shift());
        times.push((performance.now() - began) / 1000);
      }
    }
    throw new Error('the scripts are used up; make them longer');
  };
  await Promise.all([...Array(clients).keys()].map(play));
  return times;
}

answerRounds(closed);
