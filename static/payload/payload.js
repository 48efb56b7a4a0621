import "./image.js";
import "./keys.js";
import "./pdf.js";
