// Requests to the server: every error becomes a Trouble with the server's own sentence.
export class Trouble extends Error {
  constructor(sentence, choices = []) {
    super(sentence);
    this.choices = choices;
  }
}

async function readAnswer(promise) {
  let response;
  try {
    response = await promise;
  } catch {
    throw new Trouble("The server does not answer; expected it to run: start it anew with causewise serve.");
  }
  const said = await response.json().catch(() => ({ detail: "The server answered with something else than JSON." }));
  if (!response.ok) throw new Trouble(said.detail, said.choices);
  return said;
}

export const post = (path, question) => readAnswer(fetch(path, question instanceof FormData
  ? { method: "POST", body: question }
  : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) }));

export const get = (path) => readAnswer(fetch(path));

export const stop = (job) => fetch(`/api/jobs/${job}`, { method: "DELETE", keepalive: true }).catch(() => {});

// Asks about a job until it ends; a page that leaves takes its job along.
export async function watchJob(job, show) {
  const leave = () => stop(job.id);
  addEventListener("pagehide", leave);
  try {
    for (let pause = 80; ["waiting", "working"].includes(job.state); pause = Math.min(pause * 1.5, 700)) {
      show(job);
      await new Promise((go) => setTimeout(go, pause));
      job = await get(`/api/jobs/${job.id}`);
    }
  } finally {
    removeEventListener("pagehide", leave);
  }
  if (job.state !== "done") throw new Trouble(job.detail);
  return job;
}
